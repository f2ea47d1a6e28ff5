// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SettlementSplitter} from "../../src/SettlementSplitter.sol";
import {StablecoinFixture} from "./StablecoinFixture.sol";
import {vm} from "./Vm.sol";

abstract contract SplitterFixture is StablecoinFixture {
    address internal constant SUPPLIER = address(0x5099);
    address internal constant AGENCY = address(0xa9e);
    address internal constant SERVICE = address(0x5e7);

    SettlementSplitter internal splitter;

    function setUp() public virtual override {
        super.setUp();
        splitter = new SettlementSplitter();
    }

    function termsOf(uint256 gross, uint16 commissionBps, uint16 serviceFeeBps, bytes32 settlementId)
        internal
        view
        returns (SettlementSplitter.Terms memory)
    {
        return SettlementSplitter.Terms(
            address(token), SUPPLIER, AGENCY, SERVICE, gross, commissionBps, serviceFeeBps, settlementId
        );
    }

    function fundAndApprove(uint256 amount) internal {
        mintTo(ALICE, amount);
        vm.prank(ALICE);
        token.approve(address(splitter), amount);
    }

    function splitAs(address payer, SettlementSplitter.Terms memory terms) internal {
        vm.prank(payer);
        splitter.split(terms);
    }

    /// The signature of `key` over what splitWithAuthorization submits, valid for an hour around NOW.
    function signTerms(uint256 key, address payer, SettlementSplitter.Terms memory terms)
        internal
        view
        returns (bytes memory)
    {
        bytes32 nonce = splitter.authorizationNonce(terms, payer);
        return packed(key, receiveHash(authorization(payer, address(splitter), terms.gross, nonce)));
    }

    function submit(SettlementSplitter.Terms memory terms, address payer, bytes memory signature) internal {
        splitter.splitWithAuthorization(terms, payer, NOW - 1, NOW + 1 hours, signature);
    }
}
