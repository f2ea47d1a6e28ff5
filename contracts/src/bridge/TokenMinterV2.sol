// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {PausableByOperator} from "./PausableByOperator.sol";

interface IMintBurnToken {
    function mint(address to, uint256 amount) external returns (bool);
    function burn(uint256 amount) external;
    function transferFrom(address from, address to, uint256 value) external returns (bool);
}

/// Mints and burns for the local TokenMessenger. It must be a minter of each token, and what the token still allows it to
/// mint limits all messages together; `burnLimitsPerMessage` limits each one.
contract TokenMinterV2 is PausableByOperator {
    address public localTokenMessenger;
    address public tokenController;

    /// The most that one message may burn of a token. Zero: the token is not accepted.
    mapping(address token => uint256) public burnLimitsPerMessage;
    mapping(uint32 domain => mapping(bytes32 remoteToken => address)) private _localTokens;

    event LocalTokenMessengerAdded(address localTokenMessenger);
    event LocalTokenMessengerRemoved(address localTokenMessenger);
    event TokenPairLinked(address localToken, uint32 remoteDomain, bytes32 remoteToken);
    event TokenPairUnlinked(address localToken, uint32 remoteDomain, bytes32 remoteToken);
    event SetBurnLimitPerMessage(address indexed token, uint256 burnLimitPerMessage);
    event SetTokenController(address tokenController);

    /// `administrator` starts with every role; owner can hand them on one by one.
    constructor(address administrator) Ownable(administrator) PausableByOperator(administrator) {
        _setTokenController(administrator);
    }

    modifier onlyLocalTokenMessenger() {
        require(msg.sender == localTokenMessenger, "Caller not local TokenMessenger");
        _;
    }

    modifier onlyTokenController() {
        require(msg.sender == tokenController, "Caller is not tokenController");
        _;
    }

    function mint(uint32 sourceDomain, bytes32 burnToken, address to, uint256 amount)
        external
        whenNotPaused
        onlyLocalTokenMessenger
        returns (address token)
    {
        token = _requireLocalToken(sourceDomain, burnToken);
        require(IMintBurnToken(token).mint(to, amount), "Mint operation failed");
    }

    function mint(
        uint32 sourceDomain,
        bytes32 burnToken,
        address recipientOne,
        address recipientTwo,
        uint256 amountOne,
        uint256 amountTwo
    ) external whenNotPaused onlyLocalTokenMessenger returns (address token) {
        token = _requireLocalToken(sourceDomain, burnToken);
        require(IMintBurnToken(token).mint(recipientOne, amountOne), "First mint operation failed");
        require(IMintBurnToken(token).mint(recipientTwo, amountTwo), "Second mint operation failed");
    }

    /// Burns what the TokenMessenger transferred here just before.
    function burn(address burnToken, uint256 burnAmount) external whenNotPaused onlyLocalTokenMessenger {
        uint256 limit = burnLimitsPerMessage[burnToken];
        require(limit > 0, "Burn token not supported");
        require(burnAmount <= limit, "Burn amount exceeds per tx limit");
        IMintBurnToken(burnToken).burn(burnAmount);
    }

    /// The token here that stands for `remoteToken` there; zero if there is none.
    function getLocalToken(uint32 remoteDomain, bytes32 remoteToken) public view returns (address) {
        return _localTokens[remoteDomain][remoteToken];
    }

    function linkTokenPair(address localToken, uint32 remoteDomain, bytes32 remoteToken) external onlyTokenController {
        require(getLocalToken(remoteDomain, remoteToken) == address(0), "Unable to link token pair");
        _localTokens[remoteDomain][remoteToken] = localToken;
        emit TokenPairLinked(localToken, remoteDomain, remoteToken);
    }

    function unlinkTokenPair(address localToken, uint32 remoteDomain, bytes32 remoteToken)
        external
        onlyTokenController
    {
        require(getLocalToken(remoteDomain, remoteToken) != address(0), "Unable to unlink token pair");
        delete _localTokens[remoteDomain][remoteToken];
        emit TokenPairUnlinked(localToken, remoteDomain, remoteToken);
    }

    function setMaxBurnAmountPerMessage(address localToken, uint256 burnLimitPerMessage) external onlyTokenController {
        burnLimitsPerMessage[localToken] = burnLimitPerMessage;
        emit SetBurnLimitPerMessage(localToken, burnLimitPerMessage);
    }

    function setTokenController(address newTokenController) external onlyOwner {
        _setTokenController(newTokenController);
    }

    function addLocalTokenMessenger(address newLocalTokenMessenger) external onlyOwner {
        require(newLocalTokenMessenger != address(0), "Invalid TokenMessenger address");
        require(localTokenMessenger == address(0), "Local TokenMessenger already set");
        localTokenMessenger = newLocalTokenMessenger;
        emit LocalTokenMessengerAdded(newLocalTokenMessenger);
    }

    function removeLocalTokenMessenger() external onlyOwner {
        address removed = localTokenMessenger;
        require(removed != address(0), "No local TokenMessenger is set");
        delete localTokenMessenger;
        emit LocalTokenMessengerRemoved(removed);
    }

    function _requireLocalToken(uint32 remoteDomain, bytes32 remoteToken) private view returns (address token) {
        token = getLocalToken(remoteDomain, remoteToken);
        require(token != address(0), "Mint token not supported");
    }

    function _setTokenController(address newTokenController) private {
        require(newTokenController != address(0), "Invalid token controller address");
        tokenController = newTokenController;
        emit SetTokenController(newTokenController);
    }
}
