// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SettlementSplitter} from "../src/SettlementSplitter.sol";
import {OddToken} from "./support/OddTokens.sol";
import {SplitterFixture} from "./support/SplitterFixture.sol";
import {vm} from "./support/Vm.sol";

contract SettlementSplitterSignedTest is SplitterFixture {
    bytes private constant BAD_SIGNATURE = "FiatTokenV2: invalid signature";

    function testFuzz_anybodySubmitsWhatThePayerSigned(uint128 gross, uint16 commissionBps, address relayer) public {
        uint256 amount = gross == 0 ? 1 : gross;
        SettlementSplitter.Terms memory terms = termsOf(amount, commissionBps % 9_901, 100, "id");
        mintTo(ALICE, amount);
        bytes memory signature = signTerms(ALICE_KEY, ALICE, terms);
        vm.prank(relayer);
        submit(terms, ALICE, signature);
        SettlementSplitter.Parts memory parts = splitter.partsOf(amount, terms.commissionBps, 100);
        vm.assertEq(token.balanceOf(SUPPLIER), parts.supplier, "supplier");
        vm.assertEq(token.balanceOf(AGENCY), parts.commission, "agency");
        vm.assertEq(token.balanceOf(SERVICE), parts.serviceFee, "service");
        vm.assertEq(token.balanceOf(address(splitter)), 0, "splitter");
        vm.expectRevert(abi.encodeWithSelector(SettlementSplitter.AlreadySettled.selector, ALICE, bytes32("id")));
        submit(terms, ALICE, signature);
    }

    /// Whatever a relayer changes, the signature is none for it.
    function testFuzz_changedTermsAreRefused(uint8 field, uint160 change) public {
        mintTo(ALICE, 1_000);
        SettlementSplitter.Terms memory terms = termsOf(500, 1_000, 100, "id");
        bytes memory signature = signTerms(ALICE_KEY, ALICE, terms);
        uint256 which = field % 7;
        address other = address(uint160(uint256(keccak256(abi.encode(change)))));
        if (which == 0) terms.supplier = other;
        if (which == 1) terms.commissionRecipient = other;
        if (which == 2) terms.serviceFeeRecipient = other;
        if (which == 3) terms.gross = 1 + (change % 499);
        if (which == 4) terms.commissionBps = uint16(change % 1_000);
        if (which == 5) terms.serviceFeeBps = uint16(change % 100);
        if (which == 6) terms.settlementId = keccak256(abi.encode(change));
        vm.expectRevert(BAD_SIGNATURE);
        submit(terms, ALICE, signature);
    }

    function test_theNonceIsOfThisPayerSplitterAndChain() public {
        SettlementSplitter.Terms memory terms = termsOf(500, 1_000, 100, "id");
        bytes32 nonce = splitter.authorizationNonce(terms, ALICE);
        vm.assertTrue(splitter.authorizationNonce(terms, BOB) != nonce, "payer");
        vm.assertTrue(new SettlementSplitter().authorizationNonce(terms, ALICE) != nonce, "splitter");
        vm.chainId(block.chainid + 1);
        vm.assertTrue(splitter.authorizationNonce(terms, ALICE) != nonce, "chain");
    }

    function test_nobodyCanUseTheAuthorizationAlone() public {
        mintTo(ALICE, 500);
        SettlementSplitter.Terms memory terms = termsOf(500, 1_000, 100, "id");
        bytes memory signature = signTerms(ALICE_KEY, ALICE, terms);
        bytes32 nonce = splitter.authorizationNonce(terms, ALICE);
        vm.prank(STRANGER);
        vm.expectRevert("FiatTokenV2: caller must be the payee");
        token.receiveWithAuthorization(ALICE, address(splitter), 500, NOW - 1, NOW + 1 hours, nonce, signature);
        vm.expectRevert(BAD_SIGNATURE);
        token.transferWithAuthorization(ALICE, address(splitter), 500, NOW - 1, NOW + 1 hours, nonce, signature);
    }

    function test_aWalletWithCodePays() public {
        address payer = address(wallet);
        mintTo(payer, 100);
        SettlementSplitter.Terms memory terms = termsOf(100, 1_000, 100, "id");
        submit(terms, payer, signTerms(KEEPER_KEY, payer, terms));
        vm.assertEq(token.balanceOf(SUPPLIER), 89, "supplier");
    }

    function test_refusalsLeaveTheSettlementOpen() public {
        SettlementSplitter.Terms memory terms = termsOf(100, 1_000, 100, "id");
        bytes memory signature = signTerms(ALICE_KEY, ALICE, terms);
        vm.expectRevert("ERC20: transfer amount exceeds balance");
        submit(terms, ALICE, signature);
        mintTo(ALICE, 100);
        blockAccount(SUPPLIER);
        vm.expectRevert(abi.encodeWithSelector(SettlementSplitter.AccountBlocked.selector, SUPPLIER));
        submit(terms, ALICE, signature);
        vm.prank(ADMINISTRATOR);
        token.unBlacklist(SUPPLIER);
        vm.warp(NOW + 1 hours);
        vm.expectRevert("FiatTokenV2: authorization is expired");
        submit(terms, ALICE, signature);
        vm.warp(NOW);
        submit(terms, ALICE, signature);
        vm.assertEq(token.balanceOf(SUPPLIER), 89, "supplier");
    }

    /// A token that believes everything must not use up the settlements of a payer who signed nothing.
    function test_aTokenOfSomebodysMakingUsesUpNothing() public {
        OddToken odd = new OddToken(0);
        odd.mint(ALICE, 100);
        SettlementSplitter.Terms memory terms = termsOf(100, 1_000, 100, "id");
        terms.token = address(odd);
        submit(terms, ALICE, "");
        fundAndApprove(100);
        splitAs(ALICE, termsOf(100, 1_000, 100, "id"));
        vm.assertEq(token.balanceOf(SUPPLIER), 89, "supplier");
    }

    /// What somebody sent here by mistake does not pay the fee of a token that takes one.
    function test_noDonationIsSpent() public {
        OddToken odd = new OddToken(1);
        odd.mint(ALICE, 100);
        odd.mint(address(splitter), 10);
        SettlementSplitter.Terms memory terms = termsOf(100, 1_000, 100, "id");
        terms.token = address(odd);
        vm.expectRevert(abi.encodeWithSelector(SettlementSplitter.MoneyLeftOver.selector, 10, 9));
        submit(terms, ALICE, "");
    }
}
