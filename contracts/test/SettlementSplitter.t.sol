// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SettlementSplitter} from "../src/SettlementSplitter.sol";
import {OddToken} from "./support/OddTokens.sol";
import {SplitterFixture} from "./support/SplitterFixture.sol";
import {vm} from "./support/Vm.sol";

contract SettlementSplitterTest is SplitterFixture {
    event SettlementSplit(
        address indexed payer,
        bytes32 indexed settlementId,
        address indexed supplier,
        address token,
        uint256 gross,
        uint256 supplierAmount,
        uint256 commissionAmount,
        uint256 serviceFeeAmount,
        address commissionRecipient,
        address serviceFeeRecipient
    );

    function testFuzz_partsSumToGross(uint256 gross, uint16 commissionBps, uint16 serviceFeeBps) public view {
        uint256 amount = gross == 0 ? 1 : gross;
        uint256 commissionShare = commissionBps % 10_001;
        uint256 feeShare = serviceFeeBps % (10_001 - commissionShare);
        SettlementSplitter.Parts memory parts = splitter.partsOf(amount, commissionShare, feeShare);
        vm.assertEq(parts.supplier + parts.commission + parts.serviceFee, amount, "sum");
        // Rounded down, and by less than one unit: share * whole + share of the rest, without overflow.
        vm.assertEq(
            parts.commission,
            (amount / 10_000) * commissionShare + ((amount % 10_000) * commissionShare) / 10_000,
            "commission"
        );
        vm.assertEq(parts.serviceFee, (amount / 10_000) * feeShare + ((amount % 10_000) * feeShare) / 10_000, "fee");
    }

    function test_roundsDownAndGivesTheSupplierTheRest() public view {
        checkParts(100_000_000, 1_000, 100, 89_000_000, 10_000_000, 1_000_000);
        checkParts(1, 1_000, 100, 1, 0, 0);
        checkParts(99, 1_000, 100, 90, 9, 0);
        checkParts(100, 1_000, 100, 89, 10, 1);
        checkParts(12_345_679, 1_000, 100, 10_987_656, 1_234_567, 123_456);
        checkParts(7, 0, 0, 7, 0, 0);
        checkParts(7, 10_000, 0, 0, 7, 0);
        checkParts(7, 5_000, 5_000, 1, 3, 3);
    }

    function checkParts(
        uint256 gross,
        uint256 commissionBps,
        uint256 serviceFeeBps,
        uint256 supplier,
        uint256 commission,
        uint256 serviceFee
    ) private view {
        SettlementSplitter.Parts memory parts = splitter.partsOf(gross, commissionBps, serviceFeeBps);
        vm.assertEq(parts.supplier, supplier, "supplier");
        vm.assertEq(parts.commission, commission, "commission");
        vm.assertEq(parts.serviceFee, serviceFee, "service fee");
    }

    function testFuzz_splitsAnAllowance(uint128 gross, uint16 commissionBps, uint16 serviceFeeBps) public {
        uint256 amount = gross == 0 ? 1 : gross;
        uint16 commissionShare = commissionBps % 10_001;
        uint16 feeShare = serviceFeeBps % (10_001 - commissionShare);
        fundAndApprove(amount);
        splitAs(ALICE, termsOf(amount, commissionShare, feeShare, "id"));
        SettlementSplitter.Parts memory parts = splitter.partsOf(amount, commissionShare, feeShare);
        vm.assertEq(token.balanceOf(SUPPLIER), parts.supplier, "supplier");
        vm.assertEq(token.balanceOf(AGENCY), parts.commission, "agency");
        vm.assertEq(token.balanceOf(SERVICE), parts.serviceFee, "service");
        vm.assertEq(token.balanceOf(ALICE), 0, "payer");
        vm.assertEq(token.balanceOf(address(splitter)), 0, "splitter");
        vm.assertEq(token.allowance(ALICE, address(splitter)), 0, "allowance");
    }

    function test_saysWhatItDid() public {
        fundAndApprove(100);
        vm.expectEmit(address(splitter));
        emit SettlementSplit(ALICE, "id", SUPPLIER, address(token), 100, 89, 10, 1, AGENCY, SERVICE);
        splitAs(ALICE, termsOf(100, 1_000, 100, "id"));
        vm.assertTrue(splitter.isSettled(address(token), ALICE, "id"), "settled");
    }

    function test_settlesEachIdOnce() public {
        fundAndApprove(300);
        splitAs(ALICE, termsOf(100, 1_000, 100, "id"));
        vm.expectRevert(abi.encodeWithSelector(SettlementSplitter.AlreadySettled.selector, ALICE, bytes32("id")));
        splitAs(ALICE, termsOf(50, 1_000, 100, "id"));
        splitAs(ALICE, termsOf(100, 1_000, 100, "id2"));
        vm.assertEq(token.balanceOf(ALICE), 100, "two of three");
    }

    function test_refusesBadTerms() public {
        fundAndApprove(100);
        vm.expectRevert(SettlementSplitter.GrossIsZero.selector);
        splitAs(ALICE, termsOf(0, 1_000, 100, "id"));
        vm.expectRevert(abi.encodeWithSelector(SettlementSplitter.SharesExceedGross.selector, 10_000, 1));
        splitAs(ALICE, termsOf(100, 10_000, 1, "id"));
        vm.expectRevert(abi.encodeWithSelector(SettlementSplitter.SharesExceedGross.selector, 10_001, 0));
        splitAs(ALICE, termsOf(100, 10_001, 0, "id"));
        address[3] memory forbidden = [address(0), address(splitter), address(token)];
        for (uint256 i = 0; i < forbidden.length; i++) {
            for (uint256 place = 0; place < 3; place++) {
                vm.expectRevert(abi.encodeWithSelector(SettlementSplitter.RecipientNotAllowed.selector, forbidden[i]));
                splitAs(ALICE, withRecipient(termsOf(100, 1_000, 100, "id"), place, forbidden[i]));
            }
        }
        vm.assertEq(token.balanceOf(ALICE), 100, "nothing moved");
        vm.assertFalse(splitter.isSettled(address(token), ALICE, "id"), "nothing settled");
    }

    function withRecipient(SettlementSplitter.Terms memory terms, uint256 place, address recipient)
        private
        pure
        returns (SettlementSplitter.Terms memory)
    {
        if (place == 0) terms.supplier = recipient;
        else if (place == 1) terms.commissionRecipient = recipient;
        else terms.serviceFeeRecipient = recipient;
        return terms;
    }

    /// One blocked recipient stops all parts, and the answer says who it is.
    function test_namesTheBlockedAccount() public {
        fundAndApprove(100);
        address[4] memory accounts = [SUPPLIER, AGENCY, SERVICE, ALICE];
        for (uint256 i = 0; i < accounts.length; i++) {
            blockAccount(accounts[i]);
            vm.expectRevert(abi.encodeWithSelector(SettlementSplitter.AccountBlocked.selector, accounts[i]));
            splitAs(ALICE, termsOf(100, 1_000, 100, "id"));
            vm.prank(ADMINISTRATOR);
            token.unBlacklist(accounts[i]);
        }
        vm.assertEq(token.balanceOf(ALICE), 100, "nothing moved");
    }

    function test_missingMoneyOrAllowanceMovesNothing() public {
        fundAndApprove(99);
        vm.prank(ALICE);
        token.approve(address(splitter), 100);
        vm.expectRevert("ERC20: transfer amount exceeds balance");
        splitAs(ALICE, termsOf(100, 1_000, 100, "id"));
        mintTo(ALICE, 1);
        vm.prank(ALICE);
        token.approve(address(splitter), 99);
        vm.expectRevert("ERC20: transfer amount exceeds allowance");
        splitAs(ALICE, termsOf(100, 1_000, 100, "id"));
        vm.assertEq(token.balanceOf(SUPPLIER), 0, "not even the first part");
    }

    function test_worksWithTokensWithoutABlockList() public {
        OddToken odd = new OddToken(0);
        odd.mint(ALICE, 100);
        vm.prank(ALICE);
        odd.approve(address(splitter), 100);
        SettlementSplitter.Terms memory terms = termsOf(100, 1_000, 100, "id");
        terms.token = address(odd);
        splitAs(ALICE, terms);
        vm.assertEq(odd.balanceOf(SUPPLIER), 89, "supplier");
    }

    function test_anAddressWithoutCodeIsNoToken() public {
        SettlementSplitter.Terms memory terms = termsOf(100, 1_000, 100, "id");
        terms.token = CAROL;
        vm.expectRevert();
        splitAs(ALICE, terms);
    }
}
